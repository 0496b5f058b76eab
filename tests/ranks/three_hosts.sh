#!/usr/bin/env bash
# Runs a command of nimrule on three hosts, which are network namespaces of this machine with one
# rank each: `three_hosts.sh NIMRULE ARGUMENT…`. It needs the rights to create namespaces, and ends
# with status 77 without them.
set -euo pipefail

bridge="nr$$"
hosts=("$bridge-1" "$bridge-2" "$bridge-3")
agent="$(mktemp)"
clean() {
    for host in "${hosts[@]}"; do
        ip netns delete "$host" 2>/dev/null || true
    done
    ip link delete "$bridge" 2>/dev/null || true
    rm -f "$agent"
}
trap clean EXIT

if ! ip netns add "${hosts[0]}" 2>/dev/null || ! ip link add "$bridge" type bridge 2>/dev/null; then
    echo "this machine does not allow network namespaces" >&2
    exit 77
fi
ip link set "$bridge" up
for number in 1 2 3; do
    host="${hosts[number - 1]}"
    [ "$number" = 1 ] || ip netns add "$host"
    ip link add "$bridge.$number" type veth peer name eth0 netns "$host"
    ip link set "$bridge.$number" master "$bridge" up
    ip -n "$host" address add "10.213.77.$number/24" dev eth0
    ip -n "$host" link set eth0 up
    ip -n "$host" link set lo up
done

# What mpirun calls in place of ssh: the host, and a command for its shell.
cat >"$agent" <<'AGENT'
#!/usr/bin/env bash
host="$1"
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
AGENT
chmod +x "$agent"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
list="$(printf '%s:1,' "${hosts[@]}")"
"$agent" "${hosts[0]}" mpirun --host "${list%,}" --mca plm_rsh_agent "$agent" \
    --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
    "$(printf ' %q' "$@")"
