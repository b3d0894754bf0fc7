#!/bin/sh
# Prints what docker-compose.yml needs to know, with new passwords: deploy/make-env.sh /srv/agents > .env
# The folder is where agents work; it has the same path in the Workers and on the host.
set -eu

workspaces=${1:?Give the folder that agents work in, as /srv/agents}
case $workspaces in
  /*) ;;
  *) echo "$workspaces is no absolute path. Give one, as /srv/agents." >&2; exit 1 ;;
esac
password() { od -An -N 24 -t x1 /dev/urandom | tr -d ' \n'; }

cat <<END
WORKSPACES=$workspaces
POSTGRES_PASSWORD=$(password)
TEMPORAL_DB_PASSWORD=$(password)
STORE_DB_PASSWORD=$(password)
GRAFANA_PASSWORD=$(password)
END
