import { useEffect, useMemo } from 'preact/hooks'
import { api, link } from '../app.js'
import { forgetOldest } from '../core/device/forget-oldest.js'
import { type Wire } from '../core/service/api.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { openSide } from '../side/open.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'

export type ChecksView = Wire<'Checks'>
export type Check = Wire<'Check'>
export type CheckRun = Wire<'CheckRun'>
export type CheckRunDetail = Wire<'CheckRunDetail'>

const mostSessions = 20
/** How many problems of a check are named in a message to the agent (services/areas/checks/message.ts); it only counts the others. */
export const mostSent = 100
/** How often the output of a running check is read. */
export const outputEveryMs = 1_500
const known = new Map<string, Resource<ChecksView>>()

function resourceOf (sessionId: string): Resource<ChecksView> {
  const there = known.get(sessionId) ?? createResource(async () => await api.get('/api/checks', { session_id: sessionId }))
  known.set(sessionId, there)
  forgetOldest(known, mostSessions)
  return there
}

/** The checks of a session's folder, read again when they or their runs change. */
export function useChecks (sessionId: string): Resource<ChecksView> {
  const resource = useMemo(() => resourceOf(sessionId), [sessionId])
  useEffect(() => {
    void resource.refresh()
    return link.onFrame(({ event, data }) => {
      // A turn may have changed the proposals from the folder's files.
      const workspace = resource.value.peek()?.workspace
      const isOurs = event === 'checks_changed'
        ? data.workspace === workspace
        // The machine of the folder may have connected or disconnected.
        : event === 'hosts' ? workspace?.startsWith('/') === false : event === 'session' && data.session_id === sessionId
      if (isOurs) void resource.refresh()
    })
  }, [resource])
  return resource
}

export const isOpen = ({ state }: Pick<CheckRun, 'state'>): boolean => state === 'waiting' || state === 'running'
export const isBad = ({ state }: Pick<CheckRun, 'state'>): boolean => state === 'failed' || state === 'timed_out' || state === 'over_limit'
export const problemCount = ({ errors, warnings, infos }: Pick<CheckRun, 'errors' | 'warnings' | 'infos'>): number => errors + warnings + infos

/** The last run of each check that has one. */
export function latestRuns ({ checks, runs }: ChecksView): CheckRun[] {
  return checks.flatMap(({ id }) => runs.find(({ check_id: check }) => check === id) ?? [])
}

export async function run (sessionId: string, checkIds?: readonly string[]): Promise<void> {
  await attempt(async () => {
    await api.post('/api/checks/run', { session_id: sessionId, ...checkIds !== undefined && { check_ids: [...checkIds] } })
    await resourceOf(sessionId).refresh()
  })
}

export async function cancel (sessionId: string, runIds?: readonly string[]): Promise<void> {
  await attempt(async () => await api.post('/api/checks/cancel', { session_id: sessionId, ...runIds !== undefined && { run_ids: [...runIds] } }))
}

/**
 * Sends results to the agent as one message, which waits in the queue while a turn runs. `problems`: only these of the single run. Resolves
 * with whether it was sent.
 */
export async function send (sessionId: string, runIds?: readonly string[], problems?: readonly number[]): Promise<boolean> {
  return await attempt(async () => {
    const sent = await api.postOnce('/api/checks/send', {
      session_id: sessionId, if_busy: 'queue', ...runIds !== undefined && { run_ids: [...runIds] },
      ...problems !== undefined && { problems: [...problems] }
    })
    const w = screenWords.value.checks
    toast('queued' in sent ? w.queued : w.sent)
    await resourceOf(sessionId).refresh()
  })
}

export const showChecks = (): void => openSide('checks')
