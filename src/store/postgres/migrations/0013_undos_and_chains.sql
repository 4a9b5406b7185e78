-- Events may carry registered undos and the next run of a chain, which programs of schema 12 cannot read. This version
-- keeps them away from the store.
comment on table pawl.run_events is 'The log of each run; since schema 13 with registered undos and continued runs';
