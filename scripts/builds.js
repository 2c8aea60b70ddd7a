// Where builds are: each whole in a folder of its own, dist/builds/<hash of what it holds>, and in dist
// small files that load what is in the newest.
// So what runs keeps the files that it was started with, whatever is built beside it.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { filesOf, hashOf } from './stamps.js'

/** What the engine has made of the files (services/ground/loader.ts). */
export const compiledFolder = '.compiled'
/** Whoever runs a build has a lock on this (services/ground/database/lock.ts). */
const heldFile = 'held.db'
/** By then a build that makes a folder is over. */
const makingMs = 60 * 60_000

/** Only where it is needed: build.js says that packages are missing, and so has to begin without them. */
const openDatabase = (...args) => new (createRequire(import.meta.url)('better-sqlite3'))(...args)

export const namesIn = (folder) => existsSync(folder) ? readdirSync(folder) : []

/** The folder of the build that dist begins with; undefined when there is none. A release is a build itself. */
export function currentBuild (dist) {
  const entry = join(dist, 'server.js')
  if (!existsSync(entry)) return undefined
  const name = /builds\/([\w-]+)\//.exec(readFileSync(entry, 'utf8'))?.[1]
  return name === undefined ? dist : join(dist, 'builds', name)
}

/** Gives a folder that was made its place among the builds, unless the same is there already. Its name there. */
export function placeBuild (dist, made) {
  const hash = nameOf(made)
  const isThere = existsSync(join(dist, 'builds', hash))
  if (isThere && nameOf(join(dist, 'builds', hash)) === hash) {
    rmSync(made, { recursive: true })
    return hash
  }
  makeHeldFile(made)
  // What a power cut has damaged may be in use.
  const name = isThere ? `${hash}-${Date.now().toString(36)}` : hash
  renameSync(made, join(dist, 'builds', name))
  return name
}

/** A file that is read whole, before or after: services may start at any moment. */
export function replaceFile (path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}

/** Removes builds but for these: what somebody runs stays. */
export function removeOthers (dist, kept) {
  for (const name of namesIn(join(dist, 'builds'))) {
    const folder = join(dist, 'builds', name)
    if (kept.includes(folder) || (name.startsWith('.') ? Date.now() - statSync(folder).mtimeMs < makingMs : isHeld(folder))) continue
    rmSync(folder, { recursive: true, force: true })
  }
}

function isHeld (folder) {
  if (!existsSync(join(folder, heldFile))) return false
  try {
    const lock = openDatabase(join(folder, heldFile), { timeout: 0 })
    try {
      lock.pragma('journal_mode = MEMORY')
      lock.exec('begin exclusive')
      return false
    } finally {
      lock.close()
    }
  } catch {
    return true
  }
}

function makeHeldFile (folder) {
  const file = openDatabase(join(folder, heldFile))
  file.exec('create table held (by)')
  file.close()
}

const nameOf = (folder) => hashOf(filesOfBuild(folder), folder).slice(0, 16)

/** Without what is added while it runs. */
export function filesOfBuild (folder) {
  return filesOf([folder]).filter((path) => !path.includes(`/${compiledFolder}/`) && basename(path) !== heldFile)
}
