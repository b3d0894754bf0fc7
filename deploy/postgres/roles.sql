-- One role for each who uses the database, none of them a superuser; run once, when the database is made.
-- Plain SQL: any client can run it. The passwords are secrets of the container.
DO $$
BEGIN
  EXECUTE format(
    'CREATE ROLE temporal LOGIN CREATEDB PASSWORD %L',
    trim(E' \n' FROM pg_read_file('/run/secrets/temporal_db_password'))
  );
  EXECUTE format(
    'CREATE ROLE everloop LOGIN PASSWORD %L',
    trim(E' \n' FROM pg_read_file('/run/secrets/store_db_password'))
  );
END
$$;
REVOKE ALL ON DATABASE everloop FROM PUBLIC;
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE everloop TO everloop;
