#pragma once
// Converts runs to JSON and requests on runs to and from JSON. run_read.hpp reads the responses.

#include "core/api/run_api.hpp"
#include "core/run/run_graph.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// --- requests; the caller adds the namespace and the actor ---

[[nodiscard]] core::StartRun read_start_run(ObjectReader& in);  // the workflow is a path parameter
void write_start_run(Writer& out, const core::StartRun& request);

[[nodiscard]] core::OpenRun read_open_run(ObjectReader& in);
void write_open_run(Writer& out, const core::OpenRun& request);

// The filter of a bulk operation; lists accept the same names as query parameters.
[[nodiscard]] core::RunQuery read_run_query(ObjectReader& in);
void write_run_query(Writer& out, const core::RunQuery& query);

[[nodiscard]] core::BulkRuns read_bulk_runs(ObjectReader& in);
void write_bulk_runs(Writer& out, const core::BulkRuns& bulk);

[[nodiscard]] core::SignalSent read_signal(ObjectReader& in);  // its name is a path parameter
void write_signal(Writer& out, const core::SignalSent& signal);

// --- responses ---

// Writes only the fields, so that tasks may follow in the same object.
void write_run_fields(Writer& out, const core::Run& run);
void write_run(Writer& out, const core::Run& run);
// {"created":…,"run":…}
void write_run_started(Writer& out, const core::RunStarted& started);
// Writes a run's tasks as an array, in the order of the definition, each for_each before its elements.
void write_run_tasks(Writer& out, const core::RunView& view);
void write_run_graph(Writer& out, const core::RunGraph& graph);
void write_run_event(Writer& out, const core::RunId& run, const core::RunEvent& event);
void write_replay(Writer& out, const core::RunReplay& replay);

}  // namespace pawl::wire
