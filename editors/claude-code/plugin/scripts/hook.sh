# Answers an event of Claude Code by the program in PATH: sh hook.sh EVENT
# Where there is none, the person reads so once a session. A hook never fails: Claude Code goes on.
if command -v contexture >/dev/null 2>&1; then
	exec contexture hook claude-code "$1" --plugin
fi
if [ "$1" = SessionStart ]; then
	echo '{"systemMessage": "The plugin contexture has nothing to run: there is no program contexture in PATH. Its README says how to install it."}'
fi
exit 0
