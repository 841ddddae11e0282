#!/bin/sh
# Writes .env beside this file, which compose reads: every image with the digest that its registry names now. Other variables of the
# file stay. Needs Docker and the network. Look at what changed before you keep it.
set -eu
cd "$(dirname "$0")"
images='
NODE_IMAGE=node:24.21.0-bookworm-slim
GO_IMAGE=golang:1.26.8-bookworm
POSTGRES_IMAGE=postgres:17.12-bookworm
PROMETHEUS_IMAGE=prom/prometheus:v3.5.0
GRAFANA_IMAGE=grafana/grafana:12.1.1
'
for entry in $images; do
  image=${entry#*=}
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  case $digest in
    sha256:*) echo "${entry%%=*}=$image@$digest" ;;
    *) echo "$image: no digest but \"$digest\"" >&2 && exit 1 ;;
  esac
done > .env.new
if [ -f .env ]; then sed '/^[A-Z]*_IMAGE=/d' .env >> .env.new; fi
mv .env.new .env
