import { type ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { Route, Router, Switch, useLocation } from 'wouter-preact'
import { isSignedOut, serviceName } from '../app.js'
import { layers } from '../core/screen/layers.js'
import { Announcer } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { FirstHint } from '../ui/FirstHint.js'
import { isPhone } from '../ui/screen.js'
import { Toasts } from '../ui/Toast.js'
import { words } from '../words/index.js'
import { ConnectionNote } from './ConnectionNote.js'
import { drawer } from './drawer.js'
import { NotFound } from './NotFound.js'
import { Overlays } from './Overlays.js'
import { places } from './places.js'
import { railFolded } from './rail-fold.js'
import { Rail } from './Rail.js'
import { screens } from './screens.js'
import { SkipLink } from './SkipLink.js'
import { VersionNote } from './VersionNote.js'
import { WindowTitle } from './WindowTitle.js'
import './shell.css'

/** The content of the window: the list of chats, the current screen, and the layers over both. */
export function App () {
  return isSignedOut.value ? <SignedOut /> : <Router><Shell /></Router>
}

function SignedOut () {
  useEffect(() => { document.title = serviceName }, [])
  return (
    <div class='shell'>
      <main class='shell-main'>
        <header class='page-header'><h1 class='page-title'>{serviceName}</h1></header>
        <ConnectionNote />
      </main>
    </div>
  )
}

function Shell () {
  const [path] = useLocation()
  // Removes the history entries of layers that a reload has closed, before another layer opens.
  useEffect(() => { layers() }, [])
  useEffect(() => { drawer.value = false }, [path])
  const w = words.value.shell
  return (
    <div class='shell' data-rail={railFolded.value ? 'folded' : undefined}>
      <SkipLink isChat={path === places.start || path === places.newChat || path.startsWith('/session/')} />
      {isPhone.value
        ? (
          <Dialog open={drawer.value} onClose={() => { drawer.value = false }} title={w.rail} from='start' bare>
            <Rail onPick={() => { drawer.value = false }} />
          </Dialog>
          )
        : <Rail />}
      <div class='shell-main'>
        <ConnectionNote />
        <VersionNote />
        <Bounded path={path}>
          <Switch>
            {screens.map(({ path, screen }) => <Route key={String(path)} path={path} component={screen} />)}
            <Route component={NotFound} />
          </Switch>
        </Bounded>
      </div>
      <WindowTitle key={path} isChat={path.startsWith('/session/')} />
      <Overlays />
      <Toasts />
      <FirstHint />
      <Announcer />
    </div>
  )
}

/** A screen whose code fails says so in its place; the list of chats stays, and leads to another. */
function Bounded ({ path, children }: { path: string, children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((found) => { console.error(found) })
  useEffect(reset, [path])
  if (error === undefined) return <>{children}</>
  const { ui, offline } = words.value
  return <ErrorState error={ui.screenFailed}><Button onClick={() => location.reload()}>{offline.reload}</Button></ErrorState>
}
