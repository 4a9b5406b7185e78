#pragma once
// The whole SDK except testing: connect, Client, Run, Worker, Task, Workflow, Sql.

#include <pawl/client.hpp>
#include <pawl/error.hpp>
#include <pawl/json.hpp>
#include <pawl/options.hpp>
#include <pawl/schedule.hpp>
#include <pawl/sql.hpp>
#include <pawl/step.hpp>
#include <pawl/task.hpp>
#include <pawl/worker.hpp>
#include <pawl/workflow.hpp>
