// Runs as its own process: swaps a path with a symlink and back, in a loop, as fast as it can.
import { renameSync, symlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const [path, target, times] = process.argv.slice(2)
const parked = `${path}.parked`
const link = `${path}.link`
const pauseEvery = 50

symlinkSync(target, link)
for (let round = 1; round <= Number(times); round++) {
  renameSync(path, parked)
  renameSync(link, path)
  for (let spin = Math.random() * 20_000; spin > 0; spin--); // sometimes long enough to be seen, sometimes too short
  renameSync(path, link)
  renameSync(parked, path)
  if (round % pauseEvery === 0) await delay(Math.random() * 8)
}
