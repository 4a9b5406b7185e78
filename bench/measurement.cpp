#include "bench/measurement.hpp"

#include <fmt/format.h>

#include "core/json/json.hpp"

namespace pawl::bench {

namespace {

// Rates are shown as integers, times with decimals.
std::string number(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3f}", value);
}

}  // namespace

std::string to_json(const Measurement& measurement) {
  std::string line = fmt::format(R"({{"workload":{},"metric":{},"store":{},"mode":{},"value":{},"unit":{})",
                                 core::json_quote(measurement.workload), core::json_quote(measurement.metric),
                                 core::json_quote(measurement.store), core::json_quote(measurement.mode),
                                 number(measurement.value), core::json_quote(measurement.unit));
  if (measurement.baseline) line += fmt::format(R"(,"baseline":{})", number(*measurement.baseline));
  if (measurement.ratio) line += fmt::format(R"(,"ratio":{:.2f})", *measurement.ratio);
  if (measurement.in_process) line += fmt::format(R"(,"in_process":{})", number(*measurement.in_process));
  return line + "}";
}

std::string to_row(const Measurement& measurement) {
  std::string row = fmt::format("{:<8} {:<9} {:<20} {:>10} {:<8}", measurement.workload, measurement.store,
                                measurement.metric, number(measurement.value), measurement.unit);
  if (measurement.baseline) row += fmt::format("  baseline {:>8}", number(*measurement.baseline));
  if (measurement.ratio) row += fmt::format("  ratio {:>6.2f}", *measurement.ratio);
  if (measurement.in_process) row += fmt::format("  in process {:>8}", number(*measurement.in_process));
  return row;
}

}  // namespace pawl::bench
