#include "server/respond.hpp"

namespace pawl::server {

core::Result<core::ListRecords> list_of(const Request& request) {
  auto list = read_query(request, [](wire::ObjectReader& in) {
    core::ListRecords asked;
    asked.limit = read_number(in, "limit").value_or(asked.limit);
    asked.cursor = in.optional_text("cursor").value_or("");
    return asked;
  });
  if (list) list->ns = request.ns;
  return list;
}

}  // namespace pawl::server
