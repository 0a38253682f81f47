-- JSON holds text only, and Fluent Bit leaves out, or changes, bytes that are no UTF-8: a binary line, or half a
-- character at the end of one of containerd's pieces. Such a record is kept in base64, as `log_base64`.

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- First byte from, to; second byte from, to; further bytes: table 3-7 of the Unicode standard.
local SEQUENCES = {
  {0xC2, 0xDF, 0x80, 0xBF, 0},
  {0xE0, 0xE0, 0xA0, 0xBF, 1},
  {0xE1, 0xEC, 0x80, 0xBF, 1},
  {0xED, 0xED, 0x80, 0x9F, 1},
  {0xEE, 0xEF, 0x80, 0xBF, 1},
  {0xF0, 0xF0, 0x90, 0xBF, 2},
  {0xF1, 0xF3, 0x80, 0xBF, 2},
  {0xF4, 0xF4, 0x80, 0x8F, 2},
}

local function sequence_end(text, at)
  local first, second = text:byte(at, at + 1)
  for _, row in ipairs(SEQUENCES) do
    if first >= row[1] and first <= row[2] then
      if not second or second < row[3] or second > row[4] then return nil end
      local last = at + 1 + row[5]
      for i = at + 2, last do
        local byte = text:byte(i)
        if not byte or byte < 0x80 or byte > 0xBF then return nil end
      end
      return last
    end
  end
  return nil
end

local function is_utf8(text)
  local at = text:find("[\128-\255]")
  while at do
    local last = sequence_end(text, at)
    if not last then return false end
    at = text:find("[\128-\255]", last + 1)
  end
  return true
end

local function base64(bytes)
  local parts = {}
  for at = 1, #bytes, 3 do
    local a, b, c = bytes:byte(at, at + 2)
    local number = a * 65536 + (b or 0) * 256 + (c or 0)
    local digits = {}
    for i = 0, 3 do
      local digit = math.floor(number / 64 ^ (3 - i)) % 64 + 1
      digits[i + 1] = DIGITS:sub(digit, digit)
    end
    if not b then digits[3] = "=" end
    if not c then digits[4] = "=" end
    parts[#parts + 1] = table.concat(digits)
  end
  return table.concat(parts)
end

-- As Fluent Bit calls it: 0 keeps a record as it is, 2 takes this one with the time that it had.
function bytes(tag, timestamp, record)
  local log = record["log"]
  if type(log) ~= "string" or is_utf8(log) then return 0, timestamp, record end
  record["log"] = nil
  record["log_base64"] = base64(log)
  return 2, timestamp, record
end
