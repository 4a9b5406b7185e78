-- Takes the number that another change of this release has.
select 1;
