# Runs the server $1 with the folder $2 of its own until standard input ends, which it does however the process ends that
# holds the other side: the server, its runners, which outlive a killed server, and the folder are gone then. A line on
# standard input ends the server alone, in order or by a crash, and is echoed; the next one names the address to start it
# again at.
#
# All of it is one process group, so that the last line reaches whoever is left.
trap : HUP INT TERM # ends the wait below, and with it everything
mkdir -p "$2"

end() { # On SIGTERM a server unloads its models, which ends its runners.
	kill "$server" 2>/dev/null
	(sleep 5 && kill -9 "$server") 2>/dev/null &
	late=$!
	wait "$server" 2>/dev/null
	kill -9 "$late" 2>/dev/null
}

while :; do
	"$1" serve </dev/null 2>&1 &
	server=$!
	read -r order || break
	case $order in
	crash) kill -9 "$server" && wait "$server" 2>/dev/null ;;
	*) end ;;
	esac
	echo "$order"
	read -r OLLAMA_HOST || break
	export OLLAMA_HOST
done
end
rm -rf "$2"
kill -9 0
