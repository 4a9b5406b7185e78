-- Tables that only ever grew are now deleted from: autovacuum is to come by before a fifth of them is dead.
alter table pawl.tasks set (autovacuum_vacuum_scale_factor = 0.01);
alter table pawl.finished set (autovacuum_vacuum_scale_factor = 0.01);
alter table pawl.run_events set (autovacuum_vacuum_scale_factor = 0.01);
