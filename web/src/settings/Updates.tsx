import { useEffect, useState } from 'preact/hooks'
import { api, link } from '../app.js'
import { type Wire } from '../core/api.js'
import { createResource } from '../core/resource.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { Loaded } from './Loaded.js'
import { serviceSettings } from './store.js'
import { when } from './when.js'

const updates = createResource(async () => await api.get('/api/updates/check'))

/** Whether there is a newer version, and the way to it. */
export function Updates () {
  const [isLooking, setLooking] = useState(false)
  const w = screenWords.value.settings.updates
  const look = async (): Promise<void> => {
    setLooking(true)
    await attempt(async () => updates.set(await api.post('/api/updates/check', { force: true })))
    setLooking(false)
  }
  return (
    <>
      <Loaded of={serviceSettings} lines={1}>{({ webui_version: version }) => <p>{w.version(version)}</p>}</Loaded>
      <Loaded of={updates}>{(news) => <News news={news} />}</Loaded>
      <div><Button busy={isLooking} onClick={() => { void look() }}>{w.look}</Button></div>
    </>
  )
}

type Phase = { step: 'none' | 'applying' | 'restarting' } | { step: 'refused', why: string } | { step: 'back', version: string }

function News ({ news: { webui: repo, checked_at: checkedAt = 0, last_update: last } }: { news: Wire<'UpdateCheck'> }) {
  const [phase, setPhase] = useState<Phase>({ step: 'none' })
  const w = screenWords.value.settings.updates
  // The connection comes back with the service, and a snapshot tells so.
  useEffect(() => phase.step !== 'restarting'
    ? undefined
    : link.onFrame(({ event }) => { if (event === 'snapshot') void back() }), [phase.step])
  const back = async (): Promise<void> => {
    await Promise.all([serviceSettings.refresh(), updates.refresh()])
    setPhase({ step: 'back', version: serviceSettings.value.peek()?.webui_version ?? '' })
  }
  const apply = async (): Promise<void> => {
    setPhase({ step: 'applying' })
    const isAnswered = await attempt(async () => {
      const { ok, message, restart_scheduled: isRestarting, up_to_date: isNewest } = await api.post('/api/updates/apply', { target: 'webui' })
      setPhase(isRestarting === true ? { step: 'restarting' } : ok && isNewest === true ? { step: 'none' } : { step: 'refused', why: message })
    })
    if (!isAnswered) setPhase({ step: 'none' })
    await updates.refresh()
  }
  const behind = repo?.behind ?? 0
  return (
    <>
      <p role='status'>{repo == null ? w.unknown : repo.error ?? repo.message ?? (behind > 0 ? w.behind(behind) : repo.behind === 0 ? w.newest : w.unknown)}</p>
      {checkedAt > 0 ? <p class='settings-note'>{w.checkedAt(when(checkedAt))}</p> : null}
      {repo?.compare_url == null ? null : <p><a href={repo.compare_url} target='_blank' rel='noreferrer'>{w.whatIsNew}</a></p>}
      {behind > 0 && repo?.dirty === true ? <p class='settings-note'>{w.dirty}</p> : null}
      {behind > 0 && repo?.no_git !== true && phase.step !== 'restarting' ? <div><Button kind='primary' busy={phase.step === 'applying'} onClick={() => { void apply() }}>{w.apply}</Button></div> : null}
      {phase.step === 'applying' ? <p role='status'>{w.applying}</p> : null}
      {phase.step === 'restarting' ? <p role='status'>{w.restarting}</p> : null}
      {phase.step === 'refused' ? <p class='provider-bad' role='alert'>{phase.why}</p> : null}
      {phase.step === 'back' ? <p class='provider-good' role='status'>{w.back(phase.version)}</p> : null}
      {last == null ? null : <p class={last.ok ? 'settings-note' : 'provider-bad'}>{w.last(last.message)}</p>}
    </>
  )
}
