import { type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, sessions } from '../app.js'
import { Elapsed } from '../conversation/Elapsed.js'
import { type Home } from '../home/store.js'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { CalendarClock, Hourglass } from '../ui/icons.js'
import { words } from '../words/index.js'
import { type Later } from './entries.js'
import { sayLater, sayRunning } from './say.js'
import '../home/rows.css'
import './now-rows.css'

/** A running turn: its activity, since when, and a button to stop it. `nowS`: in epoch seconds; by default the present. */
export function RunningRow ({ turn, nowS = Date.now() / 1_000 }: { turn: Home['running'][number], nowS?: number }) {
  const [isBusy, setBusy] = useState(false)
  const { session_id: id, title, started_at: sinceS, silent } = turn
  const w = words.value.away
  const stop = async (): Promise<void> => {
    const stream = sessions.rows.peek().find(({ session_id: one }) => one === id)?.active_stream_id
    if (stream == null) return
    setBusy(true)
    await attempt(async () => await api.post('/api/chat/cancel', { stream_id: stream }))
    setBusy(false)
  }
  return (
    <Row
      to={places.session(id)} name={chatTitle(title)} text={sayRunning(turn, nowS)} end={<Elapsed sinceS={sinceS} />}
      mark={<span class='rail-state rail-state-works' role='img' aria-label={words.value.shell.working} />}
      verb={silent === null
        ? null
        : <Button size='small' busy={isBusy} label={w.stopIt(chatTitle(title))} onClick={() => { void stop() }}>{w.stop}</Button>}
    />
  )
}

/** Work that continues later: what it waits for, or when it continues. */
export function LaterRow ({ entry }: { entry: Later }) {
  const text = sayLater(entry)
  switch (entry.kind) {
    case 'queue': {
      const { session_id: id, title } = entry.queue
      return <Row to={places.session(id)} mark={<Icon of={Hourglass} />} name={chatTitle(title)} text={text} />
    }
    case 'runs':
      return <Row to={places.tasks} mark={<Icon of={Hourglass} />} name={words.value.homeRows.queued(entry.count)} text={text} />
    case 'task':
      return <Row to={places.task(entry.task.job_id)} mark={<Icon of={CalendarClock} />} name={entry.task.name} text={text} />
  }
}

const Row = ({ to, mark, name, text, end = null, verb = null }: {
  to: string
  mark: ComponentChildren
  name: string
  text: string
  end?: ComponentChildren
  verb?: ComponentChildren
}) =>
  <li class='now-row'>
    <Link href={to} class='start-row'>
      <span class='start-mark'>{mark}</span>
      <span class='start-row-text'>
        <span class='start-row-title'><bdi>{name}</bdi></span>
        <span class='start-row-line'><bdi>{text}</bdi></span>
      </span>
      <span class='start-row-end'>{end}</span>
    </Link>
    {verb}
  </li>
