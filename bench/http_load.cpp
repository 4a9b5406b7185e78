#include "bench/http_load.hpp"

#include <poll.h>

namespace pawl::bench {

namespace {

struct Caller {
  HttpConnection connection;
  const HttpSource* source;
  bool has_ended = false;

  void ask(std::string_view last_body) {
    const HttpRequestText request = (*source)(last_body);
    has_ended = request.path.empty();
    if (!has_ended) connection.send(request);
  }
};

}  // namespace

void run_callers(const HttpPlace& place, const std::vector<HttpSource>& callers,
                 const std::function<bool()>& is_over) {
  std::vector<Caller> busy;
  busy.reserve(callers.size());
  for (const HttpSource& source : callers) {
    busy.push_back({.connection = HttpConnection{place}, .source = &source});
    busy.back().ask("");
  }
  std::vector<pollfd> waits;
  std::size_t ended = 0;
  while (ended < busy.size()) {
    waits.clear();
    for (const Caller& caller : busy)
      waits.push_back({caller.has_ended ? -1 : caller.connection.fd(), POLLIN, 0});
    poll(waits.data(), waits.size(), -1);
    const bool over = is_over();
    ended = 0;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      Caller& caller = busy[i];
      if (waits[i].revents != 0 && caller.connection.receive()) {
        const std::string body = caller.connection.take_body();
        caller.has_ended = over;
        if (!over) caller.ask(body);
      }
      ended += caller.has_ended ? 1 : 0;
    }
  }
}

}  // namespace pawl::bench
