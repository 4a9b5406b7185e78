-- Tasks that were sent back by hand share a position before all others of their line, and stand there by their ids. The
-- index of the lines leaves the ids out: a search for an id would take it for one that fits.
alter table pawl.waiting drop constraint waiting_pkey, drop constraint waiting_id_key, add primary key (id);
create index waiting_in_line on pawl.waiting (namespace, queue, key, position);
