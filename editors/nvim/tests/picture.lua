-- A screen as a picture: first as SVG, in a page that Chromium then draws.
local M = {}

local width, height, size, margin = 9, 18, 15, 10 -- of a cell, of the font, around all; in CSS pixels

local scale = 1.5 -- sharp enough where a page shows it smaller, and a sixth less of a file than twice

-- Lines and blocks fill their cells, as in a terminal. A font's own would leave gaps between them.
local shapes = {
  ["─"] = "M0 9H9",
  ["│"] = "M4.5 0V18",
  ["╭"] = "M4.5 18V13.5Q4.5 9 9 9",
  ["╮"] = "M4.5 18V13.5Q4.5 9 0 9",
  ["╰"] = "M4.5 0V4.5Q4.5 9 9 9",
  ["╯"] = "M4.5 0V4.5Q4.5 9 0 9",
}
local blocks = { ["█"] = 1, ["░"] = 0.3 }

local function hex(color)
  return ("#%06x"):format(color)
end

local function escape(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

-- The colours of a look: those in front and behind, and how text stands.
local function resolve(ui, id)
  local look = ui.looks[id] or {}
  local fg, bg = look.foreground or ui.colors.fg, look.background or ui.colors.bg
  if look.reverse then
    fg, bg = bg, fg
  end
  local style = (look.bold and ' font-weight="bold"' or "")
    .. (look.italic and ' font-style="italic"' or "")
    .. (look.underline and ' text-decoration="underline"' or "")
  return fg, bg, style
end

-- Cells of one look that stand side by side are one piece; what is not ASCII stands alone, because fonts differ in how
-- wide they make it.
local function pieces(cells)
  local list = {}
  for column, cell in ipairs(cells) do
    local text, look = cell[1], cell[2]
    local last = list[#list]
    local plain = #text == 1
    if last and plain and last.plain and last.look == look then
      last.text = last.text .. text
    elseif text ~= "" then -- else the second half of a wide one
      table.insert(list, { text = text, look = look, column = column - 1, plain = plain })
    end
  end
  return list
end

local function draw(ui, piece, row, out)
  local fg, _, style = resolve(ui, piece.look)
  local x, y = margin + piece.column * width, margin + row * height
  if shapes[piece.text] then
    table.insert(out, ('<path transform="translate(%d %d)" d="%s" fill="none" stroke="%s"/>'):format(x, y, shapes[piece.text], hex(fg)))
  elseif blocks[piece.text] then
    local rect = '<rect x="%d" y="%d" width="%d" height="%d" fill="%s" fill-opacity="%g" shape-rendering="crispEdges"/>'
    table.insert(out, rect:format(x, y + 3, width, height - 6, hex(fg), blocks[piece.text]))
  else
    local text = '<text x="%d" y="%d" textLength="%d" fill="%s"%s>%s</text>'
    for at, word in piece.text:gmatch("()(%S+)") do -- word by word: SVG makes one blank of many
      local cells = piece.plain and #word or vim.fn.strdisplaywidth(word)
      table.insert(out, text:format(x + (at - 1) * width, y + 14, cells * width, hex(fg), style, escape(word)))
    end
  end
end

--- Draws a screen as SVG.
---@param ui Ui
---@return string svg
---@return integer width
---@return integer height
function M.svg(ui)
  local w, h = ui.columns * width + 2 * margin, ui.lines * height + 2 * margin
  local head = '<svg width="%d" height="%d" style="display:block" font-family="DejaVu Sans Mono" font-size="%d">'
  local rect = '<rect x="%d" y="%d" width="%d" height="%d" fill="%s" shape-rendering="crispEdges"/>'
  local out = { head:format(w, h, size), rect:format(0, 0, w, h, hex(ui.colors.bg)) }
  for row, cells in ipairs(ui.rows) do
    local from = 1
    for column = 1, #cells do -- what is behind the text first: letters may reach over their cell
      if column == #cells or cells[column + 1][2] ~= cells[from][2] then
        local _, bg = resolve(ui, cells[from][2])
        if bg ~= ui.colors.bg then
          local x, y = margin + (from - 1) * width, margin + (row - 1) * height
          table.insert(out, rect:format(x, y, (column - from + 1) * width, height, hex(bg)))
        end
        from = column + 1
      end
    end
  end
  local x, y = margin + ui.cursor.column * width, margin + ui.cursor.row * height
  table.insert(out, rect:format(x, y, ui.shape == "vertical" and 2 or width, height, hex(ui.colors.fg)))
  for row, cells in ipairs(ui.rows) do
    for _, piece in ipairs(pieces(cells)) do
      draw(ui, piece, row - 1, out)
    end
  end
  table.insert(out, "</svg>\n")
  return table.concat(out, "\n"), w, h
end

--- Writes a screen as PNG, larger by scale. It waits.
---@param ui Ui
---@param path string
---@return integer width in pixels
---@return integer height
function M.png(ui, path)
  local svg, w, h = M.svg(ui)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, "p")
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local page = '<!doctype html><meta charset="utf-8"><body style="margin:0">\n' .. svg
  vim.fn.writefile(vim.split(page, "\n"), folder .. "/screen.html")
  local done = vim
    .system({
      vim.env.CHROMIUM or "/usr/bin/chromium",
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--disable-lcd-text",
      "--hide-scrollbars",
      "--force-device-scale-factor=" .. scale,
      ("--window-size=%d,%d"):format(w, h),
      "--user-data-dir=" .. folder .. "/profile",
      "--screenshot=" .. path,
      "file://" .. folder .. "/screen.html",
    }, { text = true })
    :wait(60000)
  vim.fn.delete(folder, "rf")
  assert(done.code == 0, done.stderr)
  return w * scale, h * scale
end

return M
