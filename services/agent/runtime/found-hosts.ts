import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostMark, killMarked, markedProcesses, readProcess, type MarkedProcess } from '../../ground/process/processes.js'
import { openLocalSocket } from '../../ground/network/local-socket.js'
import { tried } from '../../ground/tried.js'
import { protocolVersion, type RunName } from '../protocol.js'
import { hostsFolder, placeOf, readCard, spoolVersion, standbyFiles, type Hello, type HostCard } from '../standby.js'
import { type FoundHost, type FoundHosts } from './connection.js'
import { endedHost } from './ended-host.js'
import { createMarks } from './guardian.js'
import { connectTo } from './host-process.js'
import { readMessage } from './incoming.js'
import { olderHost } from './older-host.js'

interface SearchResult extends FoundHosts {
  /** Marks of the processes of those that are alive. */
  marks: string[]
  /** How many processes of hosts that could not be taken up were killed. */
  killed: number
}

/** How long a host may take to list its runs. It answers at once unless it is stuck, or other work keeps it from the processor. */
const answerWithinMs = 10_000
/** How long a host that was starting when its service ended may take until it accepts a connection. */
const upWithinMs = 10_000
/** How long a host that accepts no connection may take to end. */
const endWithinMs = 7_000
const pauseMs = 20

/**
 * Finds the hosts that earlier services left running, and those that have ended since and left events in their folder. Never rejects: a
 * host that cannot be continued is killed, and its folder removed. One of another release works on alone; see olderHost. `fitOf` returns
 * what a host of a profile would be started with now.
 */
export async function findHosts (stateDir: string, fitOf: (profile: string) => string): Promise<SearchResult> {
  const areAllMet = await hostsUp(stateDir)
  const names = await readdir(hostsFolder(stateDir)).catch(() => [])
  const found: SearchResult = { hosts: [], areAllMet, marks: [], killed: 0 }
  await Promise.all(names.map(async (name) => {
    await findHost(join(hostsFolder(stateDir), name), fitOf, found).catch(() => { found.areAllMet = false })
  }))
  return found
}

/**
 * Waits for the cards of hosts that had just been started when their service was killed: they have turns already. Returns whether all have
 * come.
 */
async function hostsUp (stateDir: string): Promise<boolean> {
  const folder = hostsFolder(stateDir)
  const { folder: prefix } = createMarks(stateDir)
  for (const until = performance.now() + upWithinMs; performance.now() < until; await delay(pauseMs)) {
    const names = await readdir(folder).catch(() => null)
    // No host was ever told to stand by.
    if (names === null) return false
    const cards = await Promise.all(names.map(async (name) => await readCard({ folder: join(folder, name) })))
    const known = new Set(cards.map((card) => `${card?.mark ?? ''}${hostMark}`))
    const isUp = ({ mark, isStopped }: MarkedProcess): boolean => !mark.endsWith(`.${hostMark}`) || known.has(mark) || isStopped
    if ((await markedProcesses(prefix)).every(isUp)) return true
  }
  return false
}

async function findHost (folder: string, fitOf: (profile: string) => string, found: SearchResult): Promise<void> {
  const card = await readCard({ folder })
  if (card === null) {
    found.areAllMet &&= !existsSync(folder)
    return await rm(folder, { recursive: true, force: true })
  }
  const { profile, fit, mark } = card
  const isUnderstood = card.v === protocolVersion
  const isReadable = (card.said ?? spoolVersion) === spoolVersion
  // A copied state folder has cards of hosts that belong to another service. Their events count, but the hosts are left alone.
  const isHere = card.place === await placeOf({ folder })
  const older = isHere && !isUnderstood && await isAlive(card) ? await olderHost(folder, card, { isReadable, isAlive }) : null
  if (older !== null) {
    found.areAllMet = false
    found.marks.push(mark)
    found.hosts.push({ ...older, profile, fits: false })
    return
  }
  const known = isUnderstood && isHere ? await meet(folder, card).catch(async () => await endOf(card)) : null
  if (known !== null) {
    found.marks.push(mark)
    found.hosts.push({ ...known, profile, fits: fits(fit, profile, fitOf) })
    return
  }
  // One that has ended in order has removed its socket; all that its turns have said is in its file.
  found.areAllMet &&= !existsSync(standbyFiles({ folder }).socket)
  if (isHere) found.killed += await killMarked(mark)
  const ended = isReadable ? await endedHost(folder) : null
  if (ended === null) await rm(folder, { recursive: true, force: true })
  else found.hosts.push({ ...ended, profile, fits: false })
}

/** Waits for a host that is about to end, while it writes the events that no service has stored. */
async function endOf (card: HostCard): Promise<null> {
  for (const until = performance.now() + endWithinMs; await isAlive(card) && performance.now() < until;) await delay(pauseMs)
  return null
}

/** Checks the mark as well, because another process may have the pid by now. */
async function isAlive ({ pid, mark }: HostCard): Promise<boolean> {
  const process = readProcess(pid)
  return process !== null && (await markedProcesses(mark, [process])).length > 0
}

function fits (fit: string, profile: string, fitOf: (profile: string) => string): boolean {
  return tried(() => fit === fitOf(profile), false) // the profile is gone
}

/** Connects this service to a host. Returns null if the host does not answer in time. Rejects if it accepts no connection. */
async function meet (folder: string, { mark, pid, secret }: HostCard): Promise<Pick<FoundHost, 'connection' | 'runs'> | null> {
  const channel = await openLocalSocket(standbyFiles({ folder }).socket)
  const answer = Promise.withResolvers<RunName[] | null>()
  const { connection, gone } = connectTo({
    pid, channel, mark, kill () { void killMarked(mark) }, release () {}, hello: { type: 'hello', secret } satisfies Hello,
    closed (reason) {
      answer.resolve(null)
      gone(reason)
    }
  })
  const early: unknown[] = []
  connection.onMessage((message) => {
    const [read] = readMessage(message) ?? []
    if (read?.type === 'pong') answer.resolve(read.runs)
    else early.push(message)
  })
  connection.send({ type: 'ping', beat: 0 })
  const runs = await Promise.race([answer.promise, delay(answerWithinMs, null, { ref: false })])
  return runs === null
    ? null
    : {
        runs,
        connection: {
          ...connection,
          onMessage (take) {
            connection.onMessage(take)
            for (const message of early.splice(0)) take(message)
          }
        }
      }
}
