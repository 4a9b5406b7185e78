-- The logs of runs may have deferrals, costs and depths, and tasks may refer to the input of their run, which programs of
-- schema 14 cannot read. This version keeps them away from the store.
comment on table pawl.run_events is 'The log of each run; since schema 15 with deferrals, costs and depths';
