-- PostgreSQL has functions here for transactions of other programs. A file of SQLite has no functions of its own and no
-- other writers than ours: there is nothing to make, and the number is taken so that both databases count alike.
select 1;
