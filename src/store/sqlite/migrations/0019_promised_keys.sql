-- PostgreSQL's functions change in this version. SQLite has none; the number keeps the two schemas in step.
select 1;
