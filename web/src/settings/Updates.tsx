import { useState } from 'preact/hooks'
import { api, link } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'
import { serviceSettings } from './store.js'
import { createUpdating } from './updating.js'

const updating = createUpdating({ api, link })

/** Checks for a newer version and installs it. */
export function Updates () {
  const [isLooking, setLooking] = useState(false)
  const w = screenWords.value.settings.updates
  const look = async (): Promise<void> => {
    setLooking(true)
    await attempt(async () => await updating.look())
    setLooking(false)
  }
  const isBusy = ['applying', 'waiting', 'lost', 'restarting', 'late'].includes(updating.phase.value.step)
  return (
    <Part name='version'>
      <Loaded of={serviceSettings} lines={1}>{({ webui_version: version }) => <p class='settings-version'>{version}</p>}</Loaded>
      <Loaded of={updating.news}>{(news) => <News news={news} />}</Loaded>
      <div><Button busy={isLooking} disabled={isBusy} onClick={() => { void look() }}>{w.look}</Button></div>
    </Part>
  )
}

type Repo = NonNullable<Wire<'UpdateCheck'>['webui']>

function News ({ news: { disabled: isOff, webui: repo, checked_at: checkedAt = 0, last_update: last, stale_channel: isOfOther } }: {
  news: Wire<'UpdateCheck'>
}) {
  const { value: phase } = updating.phase
  const w = screenWords.value.settings.updates
  const behind = repo?.behind ?? 0
  const command = repo?.command
  const canApply = behind > 0 && repo?.no_git !== true && command === undefined && ['none', 'refused', 'blocked', 'applying', 'done'].includes(phase.step)
  return (
    <>
      <p role='status'>{isOff === true ? w.off : said(repo ?? null)}</p>
      {isOfOther === true ? <p class='settings-note'>{w.otherChannel}</p> : null}
      {checkedAt > 0 ? <p class='settings-note'>{w.checkedAt(times.at(checkedAt))}</p> : null}
      {repo?.compare_url == null ? null : <p><a href={repo.compare_url} target='_blank' rel='noreferrer'>{w.whatIsNew}</a></p>}
      {behind > 0 && repo?.dirty === true ? <p class='settings-note'>{w.dirty}</p> : null}
      {canApply
        ? <div><Button kind='primary' busy={phase.step === 'applying'} onClick={() => { void updating.apply() }}>{w.apply}</Button></div>
        : null}
      {command === undefined ? null : <Line text={command} />}
      <Phase />
      {last == null || phase.step === 'done' || phase.step === 'refused'
        ? null
        : <p class={last.ok ? 'settings-note' : 'provider-bad'}>{w.last(last.message)}</p>}
    </>
  )
}

/** Shows the command that installs the newer version, if the service cannot do that itself. */
function Line ({ text }: { text: string }) {
  return (
    <>
      <p class='settings-note'>{screenWords.value.settings.updates.byHand}</p>
      <p class='settings-line'><code>{text}</code><CopyButton size='small' text={text} /></p>
    </>
  )
}

/** Describes in a sentence whether newer versions are known. */
function said (repo: Repo | null): string {
  const w = screenWords.value.settings.updates
  if (repo === null) return w.unknown
  const { behind, error, message, current_version: from, latest_version: to } = repo
  if (error !== undefined || message !== undefined) return error ?? message ?? ''
  if (behind === 0) return w.newest
  if (behind === null) return w.unknown
  return to !== undefined && to !== from ? w.newer(to, from ?? null) : w.behind(behind)
}

function Phase () {
  const { value: phase } = updating.phase
  const w = screenWords.value.settings.updates
  switch (phase.step) {
    case 'none': return null
    case 'refused': return <p class='provider-bad' role='alert'>{phase.why}</p>
    case 'blocked': return (
      <div class='settings-blocked'>
        <p class='provider-bad' role='alert'>{phase.why}.</p>
        <Button kind='primary' onClick={() => { void updating.wait() }}>{w.wait}</Button>
        <Button kind='danger' onClick={() => { void updating.apply(true) }}>{w.applyNow(phase.turns)}</Button>
      </div>
    )
    case 'waiting': return (
      <div class='settings-blocked'>
        <p role='status'>{w.waits(phase.turns)}</p>
        {phase.turns === 0
          ? null
          : <Button kind='danger' onClick={() => { void updating.apply(true) }}>{w.applyNow(phase.turns)}</Button>}
        <Button onClick={() => { void attempt(async () => await updating.cancel()) }}>{w.cancel}</Button>
      </div>
    )
    case 'done': return <p class='provider-good' role='status'>{phase.why}. {w.reload}</p>
    default: return <p role='status'>{{ applying: w.applying, lost: w.lost, restarting: w.restarting, late: w.slow }[phase.step]}</p>
  }
}
