// Draws the app's mark, an open ring on a ground, as the PNG files that home screens and notifications need.
import { crc32, deflateSync } from 'node:zlib'

const ground = [15, 107, 92]
const mark = [255, 255, 255]
/** The number of samples of a pixel in each direction, for smooth edges. */
const samples = 3

/** Returns a square PNG. `safe`: the ground reaches every edge, and the mark stays within the circle that platforms may cut out. */
export function iconPng (pixels, { safe = false } = {}) {
  const rows = Buffer.alloc(pixels * (1 + pixels * 4))
  for (let y = 0; y < pixels; y++) {
    for (let x = 0; x < pixels; x++) rows.set(pixelAt(x, y, pixels, safe), y * (1 + pixels * 4) + 1 + x * 4)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(pixels, 0)
  header.writeUInt32BE(pixels, 4)
  // Eight bits each of red, green, blue and opacity.
  header.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0))
  ])
}

function pixelAt (x, y, pixels, safe) {
  let [inGround, inMark] = [0, 0]
  for (let sample = 0; sample < samples ** 2; sample++) {
    const [u, v] = [
      (x + (sample % samples + 0.5) / samples) / pixels - 0.5, (y + (Math.floor(sample / samples) + 0.5) / samples) / pixels - 0.5
    ]
    if (!safe && !isInGround(Math.abs(u), Math.abs(v))) continue
    inGround++
    if (isInMark(u, v, safe ? 0.22 : 0.27)) inMark++
  }
  const share = inGround === 0 ? 0 : inMark / inGround
  return [...ground.map((value, at) => Math.round(value + (mark[at] - value) * share)), Math.round(255 * inGround / samples ** 2)]
}

const corner = 0.22
function isInGround (u, v) {
  const [du, dv] = [u - (0.5 - corner), v - (0.5 - corner)]
  return du <= 0 || dv <= 0 || Math.hypot(du, dv) <= corner
}

/** Whether a point is in the ring of this radius, a quarter of which is open to the right. */
function isInMark (u, v, radius) {
  return Math.abs(Math.hypot(u, v) - radius) <= radius * 0.25 && !(u > 0 && Math.abs(v) < u)
}

function chunk (type, bytes) {
  const typed = Buffer.concat([Buffer.from(type), bytes])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(bytes.length, 0)
  typed.copy(framed, 4)
  framed.writeUInt32BE(crc32(typed) >>> 0, typed.length + 4)
  return framed
}
