import { TooMany, Unavailable } from '../../../ground/errors.js'
import { type Workers } from '../../../ground/workers/index.js'
import { present } from '../../../ground/present.js'
import { type Territory } from '../../place/place.js'
import { type FoundPath } from './find-task.js'
import { createPathLists, type PathListsOptions } from './path-lists.js'
import { readSought } from './ranking.js'

export interface FileSearchOptions extends PathListsOptions { workers: Workers }

export interface SearchRequest {
  territory: Territory
  query: string
  limit: number
  /** Identifies the client. Each client has one search at a time. */
  client: string
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
}

export interface SearchResult {
  found: FoundPath[]
  /** Whether not everything was searched. */
  isPart: boolean
}

/** Finds files and folders of a workspace by parts of their paths. */
export function createFileSearch ({ workers, ...options }: FileSearchOptions) {
  const lists = createPathLists(options)
  const enter = createTurns()

  return {
    /** Searches. Throws TooMany if a newer search of the same client replaces this one while it waits; also rejects as the lists do. */
    async find ({ territory, query, limit, client, signal }: SearchRequest): Promise<SearchResult> {
      const leave = await enter(client, signal)
      try {
        const { bytes, isPart } = await lists.of(territory, readSought(query), signal)
        signal.throwIfAborted()
        const { found, isPart: isFoundInPart } = await workers.run('findPaths', { territory, bytes, query, limit })
        return { found, isPart: isPart || isFoundInPart }
      } catch (error) {
        // The client has gone. A failure caused by that is not an error of the service.
        throw signal.aborted ? new Unavailable('The search was cancelled') : error
      } finally {
        leave()
      }
    },
    close: lists.close
  }
}

interface Turn { next: { begin: () => void, giveUp: (error: Error) => void } | null }

/** Runs one search at a time for each client. Of the waiting ones, only the newest gets its turn. */
function createTurns () {
  const turns = new Map<string, Turn>()

  return async function enter (client: string, signal: AbortSignal): Promise<() => void> {
    const turn = turns.get(client)
    const leave = (): void => {
      const own = present(turns.get(client), 'the turn of a client')
      const { next } = own
      own.next = null
      if (next === null) turns.delete(client)
      else next.begin()
    }
    if (turn === undefined) {
      turns.set(client, { next: null })
      return leave
    }
    turn.next?.giveUp(new TooMany('A newer search of this client has replaced this one'))
    return await new Promise((resolve, reject) => {
      const mine = {
        begin: () => {
          signal.removeEventListener('abort', gone)
          resolve(leave)
        },
        giveUp: (error: Error) => {
          signal.removeEventListener('abort', gone)
          reject(error)
        }
      }
      const gone = (): void => {
        if (turn.next === mine) turn.next = null
        reject(new Error('Nobody waits for the search'))
      }
      turn.next = mine
      signal.addEventListener('abort', gone, { once: true })
    })
  }
}
