// Manages builds. Each is complete in its own folder, dist/builds/<hash of its contents>, and dist itself has small files that load the
// newest one. So a running process keeps the files that it was started with, whatever is built meanwhile.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { filesOf, hashOf } from './stamps.js'

/** Code that the engine has compiled from the files (services/ground/loader.ts). */
export const compiledFolder = '.compiled'
/** A process that runs a build holds a lock on this file (services/ground/database/lock.ts). */
const heldFile = 'held.db'
/** How long making a build can take at most; an older unfinished folder is a leftover. */
const makingMs = 60 * 60_000

/** Loaded only when needed: build.js reports missing packages, so it has to start without them. */
const openDatabase = (...args) => new (createRequire(import.meta.url)('better-sqlite3'))(...args)

export const namesIn = (folder) => existsSync(folder) ? readdirSync(folder) : []

/** Returns the folder of the build that dist loads; undefined if there is none. A release is a build itself. */
export function currentBuild (dist) {
  const entry = join(dist, 'server.js')
  if (!existsSync(entry)) return undefined
  const name = /builds\/([\w-]+)\//.exec(readFileSync(entry, 'utf8'))?.[1]
  return name === undefined ? dist : join(dist, 'builds', name)
}

/** Moves a new build to its place among the builds, unless the same build already exists. Returns its name there. */
export function placeBuild (dist, made) {
  const hash = nameOf(made)
  const isThere = existsSync(join(dist, 'builds', hash))
  if (isThere && nameOf(join(dist, 'builds', hash)) === hash) {
    rmSync(made, { recursive: true })
    return hash
  }
  makeHeldFile(made)
  // The damaged folder, for example after a power cut, may be in use.
  const name = isThere ? `${hash}-${Date.now().toString(36)}` : hash
  renameSync(made, join(dist, 'builds', name))
  return name
}

/** Replaces a file atomically, because services may start at any moment. */
export function replaceFile (path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}

/** Removes all builds except those in `kept` and those that are in use. */
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

/** Returns the files of a build without those that are added while it runs. */
export function filesOfBuild (folder) {
  return filesOf([folder]).filter((path) => !path.includes(`/${compiledFolder}/`) && basename(path) !== heldFile)
}
