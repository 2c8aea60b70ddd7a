import { sessions } from '../app.js'
import { nextSession } from '../conversation/open-chat.js'
import { drawer } from '../shell/drawer.js'
import { palette } from '../shell/palette.js'
import { places } from '../shell/places.js'
import { WaitingButton } from '../shell/WaitingButton.js'
import { Button } from '../ui/Button.js'
import { Link } from '../ui/Link.js'
import { Menu, MessageCircleDashed, Search } from '../ui/icons.js'
import { isPhone } from '../ui/screen.js'
import { words } from '../words/index.js'
import { home, homeFailure, waitingCount } from './store.js'
import { finished, useVisit } from './visit.js'
import './start.css'

/** The bar above the start: on a phone, the buttons for the list of chats and the search. */
export function StartBar ({ isHome }: { isHome: boolean }) {
  const w = words.value.shell
  return (
    <header class='start-bar'>
      {isPhone.value
        ? <Button kind='quiet' size='large' icon={Menu} label={w.openRail} onClick={() => { drawer.value = true }} />
        : null}
      <span class='start-space' />
      {isHome ? null : <WaitingButton />}
      <TemporarySwitch />
      {isPhone.value
        ? <Button kind='quiet' size='large' icon={Search} label={w.searchOrDo} onClick={() => { palette.value = true }} />
        : null}
    </header>
  )
}

/** Makes the new chat a temporary one. */
function TemporarySwitch () {
  const text = words.value.home.temporary
  const isOn = nextSession.value.temporary === true
  const change = (): void => { nextSession.value = { ...nextSession.peek(), temporary: !isOn, worktree: false } }
  return isPhone.value
    ? <Button kind='quiet' size='large' icon={MessageCircleDashed} label={text} pressed={isOn} onClick={change} />
    : <Button kind='quiet' size='small' icon={MessageCircleDashed} pressed={isOn} onClick={change}>{text}</Button>
}

/** Shows in one line what happened; for a new chat, asks what to do. */
export const StartHead = ({ isHome }: { isHome: boolean }) => isHome
  ? <HomeHead />
  : <div class='start-head'><h1 class='start-line' tabIndex={-1}>{words.value.home.ask}</h1></div>

function HomeHead () {
  useVisit()
  const w = words.value.home
  const waiting = waitingCount.value
  const files = finished.value.reduce((sum, { files_changed: count }) => sum + count, 0)
  const parts = [
    ...waiting === 0 ? [] : [<Link key='waiting' href={places.inbox} class='start-waiting'>{w.waiting(waiting)}</Link>],
    ...finished.value.length === 0 ? [] : [<span key='finished'>{w.finished(finished.value.length)}</span>],
    ...files === 0 ? [] : [<span key='files'>{w.filesChanged(files)}</span>]
  ]
  const isKnown = home.value !== null || homeFailure.value !== null
  const isQuiet = home.value !== null && !(sessions.isKnown.value && sessions.rows.value.length === 0)
  return (
    <div class='start-head'>
      <p class='start-greeting'>{w.greeting(new Date().getHours())}{parts.length === 0 ? null : ` ${w.since}`}</p>
      <h1 class='start-line' tabIndex={-1}>
        {parts.length === 0
          ? isKnown ? isQuiet ? w.quiet : w.ask : <>&nbsp;</>
          : parts.flatMap((part, at) => [part, at === parts.length - 1 ? w.end : w.between])}
      </h1>
    </div>
  )
}
