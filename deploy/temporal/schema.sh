#!/bin/sh
# Makes Temporal's two databases, or brings them up to the version of these tools. May be run again at any time.
# Reads SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD (temporal-sql-tool) and SCHEMA_FOLDER.
set -eu

for schema in temporal visibility; do
  case $schema in
    temporal) database=temporal ;;
    visibility) database=temporal_visibility ;;
  esac
  echo "schema: $database"
  set -- temporal-sql-tool --plugin postgres12 --database "$database"
  "$@" create-database
  "$@" setup-schema --version 0.0
  "$@" update-schema --schema-dir "$SCHEMA_FOLDER/$schema/versioned"
done
