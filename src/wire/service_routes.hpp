#pragma once
// Rows of the route table about the service itself.

#include <array>

#include "wire/route.hpp"

namespace pawl::wire {

inline constexpr std::array kServiceRoutes{
    Route{.method = Method::get,
          .path = "/healthz",
          .role = kAnyone,
          .access = kPublic,
          .call = Call::healthz,
          .id = "getHealth",
          .summary = "Whether the process is up",
          .responses = {{{200, "Health"}}}},
    Route{.method = Method::get,
          .path = "/readyz",
          .role = kAnyone,
          .access = kPublic,
          .call = Call::readyz,
          .id = "getReadiness",
          .summary = "Whether it can serve: the store answers, work goes on",
          .responses = {{{200, "Health"}}}},
    Route{.method = Method::get,
          .path = "/metrics",
          .role = Role::viewer,
          .access = kOfSomeNamespaces,
          .call = Call::metrics,
          .id = "getMetrics",
          .summary = "Prometheus metrics",
          .answer = "text",
          .responses = {{{200, "string", "text/plain"}}}},
    Route{.method = Method::get,
          .path = "/openapi.json",
          .role = Role::viewer,
          .access = kPublic,
          .call = Call::openapi,
          .id = "getOpenApi",
          .summary = "This description",
          .responses = {{{200, "{json}"}}}},
    Route{.method = Method::get,
          .path = "/",
          .role = kAnyone,
          .access = kPublic,
          .call = Call::home,
          .id = "getDashboard",
          .summary = "The dashboard",
          .answer = "page for a browser",
          .responses = {{{200, "string", "text/html"}, {200, "string", "text/plain"}, {304}}},
          .headers = kTagged},
    Route{.method = Method::get,
          .path = "/assets/{file}",
          .role = kAnyone,
          .access = kPublic,
          .call = Call::dashboard_asset,
          .id = "getDashboardAsset",
          .summary = "What the dashboard loads",
          .answer = "file",
          .responses = {{{200, "string", "*/*"}, {304}}},
          .headers = kTagged},
};

}  // namespace pawl::wire
