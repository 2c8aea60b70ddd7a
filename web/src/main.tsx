import { render } from 'preact'
import { followSignIn, link } from './app.js'
import { startOffline } from './offline/start.js'
import { firstBoxShown, keepTyped } from './home/first-box.js'
import { App } from './shell/App.js'
import './shell/appearance.js'
import { offerInstall } from './shell/install.js'
import { listenToKeys } from './shell/keys.js'
import './shell/language.js'
import { askBeforeLeaving } from './shell/leaving.js'
import { takeShared } from './shell/shared.js'
import './ui/base.css'
import { loadTypeface } from './ui/typeface.js'
import { speak, usualLanguage } from './words/index.js'

// Redirects the addresses that chats had in an earlier version.
if (location.pathname === '/' && location.hash.length > 1) history.replaceState(null, '', `/session/${location.hash.slice(1)}`)
startOffline()
followSignIn()
takeShared()
// If the code cannot be loaded, such as without a network, nothing is shown.
link.onFrame(({ event, data }) => {
  if (event === 'pull') import('./side/pulls/pull-toasts.js').then(({ tellOfPull }) => tellOfPull(data)).catch(console.warn)
  if (event === 'cron' && data.toast) import('./tasks/run-toasts.js').then(({ tellOfRun }) => tellOfRun(data)).catch(console.warn)
})
listenToKeys()
askBeforeLeaving()
offerInstall()
if (navigator.maxTouchPoints > 0) import('./shell/edge-swipe.js').then(({ listenToSwipes }) => listenToSwipes()).catch(console.warn)
// If the texts of another language cannot be loaded, the app starts in English. This file does not wait for them: what they import may be
// bundled with it, and they would wait for each other.
void speak(usualLanguage()).catch(() => {}).then(firstBoxShown).then(() => {
  keepTyped(() => render(<App />, document.getElementById('app') ?? document.body))
  document.querySelector('.unstarted')?.remove()
  loadTypeface()
})
