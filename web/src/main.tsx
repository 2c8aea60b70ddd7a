import { render } from 'preact'
import { followSignIn, link } from './app.js'
import { startOffline } from './offline/start.js'
import { App } from './shell/App.js'
import './shell/appearance.js'
import { listenToKeys } from './shell/keys.js'
import './shell/language.js'
import { askBeforeLeaving } from './shell/leaving.js'
import { takeShared } from './shell/shared.js'
import './ui/base.css'
import { speak, usualLanguage } from './words/index.js'

// Where chats were before they had addresses of their own.
if (location.pathname === '/' && location.hash.length > 1) history.replaceState(null, '', `/session/${location.hash.slice(1)}`)
startOffline()
followSignIn()
takeShared()
// Where its code is missing, such as without a network, nothing is told.
link.onFrame(({ event, data }) => {
  if (event === 'cron' && data.toast) import('./tasks/telling.js').then(({ tellOfRun }) => tellOfRun(data)).catch(console.warn)
})
listenToKeys()
askBeforeLeaving()
if (navigator.maxTouchPoints > 0) import('./shell/edge-swipe.js').then(({ listenToSwipes }) => listenToSwipes()).catch(console.warn)
// Without the words of another language it speaks English this once.
await speak(usualLanguage()).catch(() => {})
render(<App />, document.getElementById('app') ?? document.body)
