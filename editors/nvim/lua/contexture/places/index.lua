--- The place "index": how far it is, in which languages, what is left out and by which rule, secrets, faults, latencies.
local client = require("contexture.client")
local exclude = require("contexture.exclude")
local jump = require("contexture.jump")
local lines = require("contexture.places.index_lines")

local M = { title = "Index", part = "The state of the index", events = { "ContextureStatus" } }

local page = 100 -- files that are asked for at once

-- Asks for the files that are left out for the reasons whose folds a person has opened.
local function ask_skipped(place, results, show)
  local reasons = vim.tbl_keys(place.opened)
  local left = #reasons
  for _, reason in ipairs(reasons) do
    place:ask("index.skipped", { reason = reason, limit = place.opened[reason], query = place.argument ~= "" and place.argument or nil }, function(r)
      results.files[reason] = r
      left = left - 1
      if left == 0 then
        show(lines.listing(results))
      end
    end, function(err)
      results.files[reason] = { error = err, files = {} }
      left = left - 1
      if left == 0 then
        show(lines.listing(results))
      end
    end)
  end
  if left == 0 then
    show(lines.listing(results))
  end
end

---@param place contexture.Place
function M.load(place, show)
  place.opened = place.opened or {}
  place:gather({
    status = { "index.status", {} },
    secrets = { "index.secrets", { limit = page } },
    recent = { "metrics.recent", {} },
  }, function(results, errors)
    results.errors, results.files, results.query = errors, {}, place.argument
    place.status = results.status
    if errors.status then
      place:fail(errors.status)
      return
    end
    results.cells = place:width()
    if place.argument ~= "" and next(place.opened) == nil then -- a search shows what it finds
      for _, skip in ipairs(results.status.skipped) do
        place.opened[skip.reason] = page
      end
    end
    ask_skipped(place, results, show)
  end)
end

local function root_of(place)
  return place.status and place.status.workspace or place.workspace
end

-- The file of an entry, or the rule that leaves it out, or the files of a reason.
local function open(place, entry)
  if not entry then
    return
  elseif entry.reason then
    place.opened[entry.reason] = entry.more and place.opened[entry.reason] + page or not place.opened[entry.reason] and page or nil
    place.view:set_fold("reason " .. entry.reason, false)
    place:load()
  elseif entry.source and entry.source:find("[/.]") and vim.uv.fs_stat(jump.below(entry.source, root_of(place))) then
    jump.file(jump.below(entry.source, root_of(place)), entry.line)
  elseif entry.path then
    jump.file(jump.below(entry.path, root_of(place)))
  else
    vim.cmd("silent! normal! za")
  end
end

-- Says which rule a file is indexed by, or not.
local function why(place, path)
  local uri = vim.uri_from_fname(jump.below(path, root_of(place)))
  place:fetch("index.why", { textDocument = { uri = uri } }, function(r)
    local source = r.source and (" (%s%s)"):format(r.source, r.line and ":" .. r.line or "") or ""
    vim.notify(("contexture: %s is %s%s%s"):format(path, r.indexed and "indexed" or "not indexed", r.rule and ": " .. r.rule or "", source))
  end)
end

local function pause(place)
  place:fetch("config", {}, function(r)
    local paused = vim.iter(r.settings):any(function(s)
      return s.key == "index.paused" and s.value == true
    end)
    client.change_settings({ index = { paused = not paused } })
    vim.notify("contexture: indexing is " .. (paused and "resumed" or "paused"))
  end)
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  local function options()
    return {
      workspace = place.workspace,
      done = function()
        place:load()
      end,
    }
  end
  return {
    { "open", "<CR>", "Open the rule that leaves a file out, or the file; show the files of a reason", function(entry)
      open(place, entry)
    end },
    { "file", "gf", "Open the file", function(entry)
      if entry and entry.path and not entry.folder then
        jump.file(jump.below(entry.path, root_of(place)))
      end
    end },
    { "why", "w", "Say by which rule a file is indexed, or not", function(entry)
      if entry and entry.path then
        why(place, entry.path)
        return
      end
      vim.ui.input({ prompt = "Why is it indexed, or not: ", completion = "file" }, function(path)
        if path and path ~= "" then
          why(place, path)
        end
      end)
    end },
    { "find", "s", "Find files that are left out by a part of their path", function()
      vim.ui.input({ prompt = "Left out, with in its path: ", default = place.argument }, function(query)
        if query then
          require("contexture.place").open("index", vim.trim(query))
        end
      end)
    end },
    { "exclude", "x", "Keep the file or the folder, or what a pattern matches, out of the index", function(entry)
      exclude.ask(entry and entry.path and exclude.pattern(entry.path, entry.folder or false), options())
    end },
    { "include", "i", "Take back the rule of .contextureignore on this line", function(entry)
      if entry and entry.rule and vim.endswith(entry.source or "", ".contextureignore") then
        exclude.remove(entry.rule, options())
      else
        vim.notify("contexture: no rule of .contextureignore is on this line; <CR> opens the rule of a file")
      end
    end },
    { "pause", "P", "Pause indexing, or resume it", function()
      pause(place)
    end },
    { "rebuild", "B", "Rebuild the index; the old one answers until then", function()
      place:change("index.rebuild", {}, "the index is being rebuilt; the old one answers until then")
    end },
  }
end

return M
