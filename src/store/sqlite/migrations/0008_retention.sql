-- Nothing to do here: the number is PostgreSQL's, which is told when to clear the rows that retention deletes.
select 1;
