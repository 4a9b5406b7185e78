-- The nodes of this run have no rows: its log is short, and replayed (docs/adr/0026-a-step-on-two-cores.md).
alter table run_states add column bare integer not null default 0;
