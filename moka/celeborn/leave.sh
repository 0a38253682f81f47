# Run by a worker before it is told to stop. Most often it will be back, and a restart takes minutes: nothing to
# do. If its StatefulSet wants fewer workers than would leave it in, it goes for good: then it takes no more data,
# and stops once nobody needs what it has. When it cannot know, it goes as for a restart.
set -u

secrets=${SECRETS:-/var/run/secrets/kubernetes.io/serviceaccount}
api=${KUBERNETES_API:-https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT}
worker=http://$CELEBORN_LOCAL_HOSTNAME:$HTTP_PORT

ask() { curl --silent --show-error --fail --max-time 20 "$@"; }

scale=$(
  ask --retry 3 --retry-connrefused --cacert "$secrets/ca.crt" \
    --header "Authorization: Bearer $(cat "$secrets/token")" \
    "$api/apis/apps/v1/namespaces/$NAMESPACE/statefulsets/$STATEFUL_SET/scale"
) || exit 0
wanted=$(tr -d '[:space:]' <<<"$scale" | sed -n 's/.*"spec":{"replicas":\([0-9]*\)}.*/\1/p')
if [ -z "$wanted" ] || [ "${POD_NAME##*-}" -lt "$wanted" ]; then
  exit 0
fi

# Told to stop from now on, it waits by itself, at most celeborn.worker.decommission.forceExitTimeout.
ask --header "Content-Type: application/json" --data '{"type":"DECOMMISSION"}' "$worker/api/v1/workers/exit"
