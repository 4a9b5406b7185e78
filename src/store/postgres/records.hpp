#pragma once
// Reads of records that begin a transaction; the store and the transaction read and write the others.

#include <optional>

#include "core/records/record.hpp"
#include "store/postgres/connection.hpp"

namespace pawl::store::postgres {

// One record by its name, or none.
void ask_for_record(Connection& connection, const core::RecordRef& ref);
[[nodiscard]] std::optional<core::Record> read_first_record(const Rows& rows);
}  // namespace pawl::store::postgres
