--- The place "topics": topics, people and things that conversations speak of, how often of late, and what goes together.
local learned = require("contexture.learned")
local listing = require("contexture.listing")
local sparkline = require("contexture.sparkline")

local M = { title = "Topics and people", part = "What was learned", events = { "ContextureMemory" } }

local page = 100 -- subjects of a part that are shown at once

local most_neighbours = 8 -- of a subject

local arrows = { rising = "↗", steady = "→", falling = "↘" }

-- The strongest neighbours of each node of the graph, by its id.
local function neighbours_of(graph)
  local nodes, by_id = {}, {}
  for _, node in ipairs(graph.nodes) do
    nodes[node.id] = node
  end
  for _, edge in ipairs(graph.edges) do
    for _, ends in ipairs({ { edge.from, edge.to }, { edge.to, edge.from } }) do
      if nodes[ends[2]] then
        by_id[ends[1]] = by_id[ends[1]] or {}
        table.insert(by_id[ends[1]], { node = nodes[ends[2]], weight = edge.weight })
      end
    end
  end
  for _, list in pairs(by_id) do
    table.sort(list, function(a, b)
      return a.weight > b.weight or a.weight == b.weight and a.node.label < b.node.label
    end)
  end
  return by_id
end

local function add(out, s, neighbours, width, cells)
  local entry = { key = s.id, subject = s }
  out:fold("subject " .. s.id, true)
  out:add({
    { s.pinned and "  * " or "    ", "DiagnosticInfo" },
    { listing.pad(listing.oneline(s.label), width) },
    { ("  %-8s"):format(s.kind == "topic" and "" or s.kind), "Comment" },
    { listing.pad(s.history and sparkline.of(s.history) or "", 12), "ContextureLayer5" },
    { ("  %s "):format(arrows[s.trend] or " ") .. (cells < 80 and "" or ("%-8s"):format(s.trend)), s.trend == "rising" and "DiagnosticOk" or "Comment" },
    { ("%9s"):format(listing.count(s.turns, "turn")), "Number" },
    { cells >= 90 and "  " .. listing.date(s.last) or "", "Comment" },
  }, entry)
  if #s.names > 0 then
    out:add({ { "        also  ", "Comment" }, { table.concat(s.names, ", ") } }, entry)
  end
  for i, other in ipairs(neighbours or {}) do
    if i > most_neighbours then
      break
    end
    local node = other.node
    out:add({
      { i == 1 and "        with  " or "              ", "Comment" },
      { listing.oneline(node.label), node.kind == "file" and "Directory" or nil },
      { node.kind ~= "topic" and "  " .. node.kind or "", "Comment" },
    }, { key = s.id .. "/" .. node.id, subject = s, neighbour = node })
  end
  out:unfold()
end

--- Returns the listing of topics and entities.
---@param subjects contexture.Subject[]
---@param graph contexture.GraphResult? what goes together
---@param problem lsp.ResponseError? why there is no graph
---@param cells integer width of a line
---@param shown? table<string, integer> how many subjects of a part are shown, by the part's name
---@return contexture.Listing
function M.listing(subjects, graph, problem, cells, shown)
  local topics = vim.tbl_filter(function(s)
    return s.kind == "topic"
  end, subjects)
  local entities = vim.tbl_filter(function(s)
    return s.kind ~= "topic"
  end, subjects)
  local out = listing.new(cells)
  out:add({
    { "Topics and people", "Title" },
    { ("   %s, %s%s"):format(listing.count(#topics, "topic"), listing.count(#entities, "person or thing", "people and things"), cells < 80 and "" or " · the last twelve weeks"), "Comment" },
  })
  if problem then
    out:unavailable("What goes together", problem)
  end
  if #subjects == 0 then
    out:add("")
    out:say("Nothing was learned from conversations yet. L learns now; else that happens while the machine is idle.")
    return out
  end
  local by_id = graph and neighbours_of(graph) or {}
  local width = math.max(16, math.min(cells - (cells < 80 and 43 or cells < 90 and 51 or 65), 40)) -- beside the other columns
  for _, part in ipairs({ { "Topics", topics }, { "People and things", entities } }) do
    if #part[2] > 0 then
      out:add("")
      out:fold("part " .. part[1])
      out:add({ { ("%s (%d)"):format(part[1], #part[2]), "Title" } }, { key = "part " .. part[1] })
      local most = (shown or {})[part[1]] or page
      for i, s in ipairs(part[2]) do
        if i > most then
          break
        end
        if out.first == 1 then
          out:start_here()
        end
        add(out, s, by_id[s.id], width, cells)
      end
      out:more(#part[2] - most, part[1])
      out:unfold()
    end
  end
  return out
end

---@param place contexture.Place
function M.load(place, show)
  place:gather({
    topics = { "knowledge.topics", {} },
    entities = { "knowledge.entities", {} },
    graph = { "knowledge.graph", { limit = 200 } },
  }, function(results, errors)
    local err = errors.topics or errors.entities
    if err then
      place:fail(err)
      return
    end
    place.shown = place.shown or {}
    place.redraw = function()
      return M.listing(learned.subjects(results.topics, results.entities), results.graph, errors.graph, place:width(), place.shown)
    end
    show(place.redraw())
  end)
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  local function on_subject(use)
    return function(entry)
      if entry and entry.subject then
        use(entry.subject, entry)
      else
        vim.notify("contexture: no topic, person or thing is on this line")
      end
    end
  end
  local function load()
    place:load()
  end
  local open = on_subject(function(s, entry)
    local node = entry.neighbour
    if node and node.kind == "file" then
      local jump = require("contexture.jump")
      jump.file(jump.below(node.label, place.workspace))
    else
      learned.show((node or s).id)
    end
  end)
  return {
    { "open", { "<CR>", "gf" }, "Show what is known of it; on a file, open that; show more", function(entry)
      if entry and entry.more then
        place.shown[entry.more] = (place.shown[entry.more] or page) + page
        place.view:draw(place.redraw())
      else
        open(entry)
      end
    end },
    { "change", "c", "Rename, merge, pin or forget it", on_subject(function(s)
      learned.change(s, load)
    end) },
    { "learn", "L", "Learn from the conversations now", function()
      learned.learn(load)
    end },
  }
end

return M
