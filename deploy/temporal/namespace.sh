#!/bin/sh
# Makes the namespace and registers everloop's search attributes. May be run again at any time.
# Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE (temporal) and RETENTION, for how long closed Workflows are kept.
set -eu

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"

register() {
  temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" \
    --name EverloopStatus --type Keyword \
    --name EverloopWaitingFor --type Keyword \
    --name EverloopModel --type Keyword \
    --name EverloopTransition --type Keyword \
    --name EverloopWorkspace --type Keyword \
    --name EverloopUser --type Keyword \
    --name EverloopTurn --type Int \
    --name EverloopCostUsd --type Double
}

# The server's parts hear of a new namespace one after the other, within some seconds.
attempt=1
until register; do
  [ "$attempt" -lt 60 ] || exit 1
  attempt=$((attempt + 1))
  sleep 1
done
