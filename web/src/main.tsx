import { render } from 'preact'
import { startOffline } from './offline/start.js'
import { App } from './shell/App.js'
import './shell/appearance.js'
import { listenToSwipes } from './shell/edge-swipe.js'
import { listenToKeys } from './shell/keys.js'
import { takeShared } from './shell/shared.js'
import './ui/base.css'
import { speak, usualLanguage } from './words/index.js'

// Where chats were before they had addresses of their own.
if (location.pathname === '/' && location.hash.length > 1) history.replaceState(null, '', `/session/${location.hash.slice(1)}`)
startOffline()
takeShared()
listenToKeys()
listenToSwipes()
await speak(usualLanguage())
render(<App />, document.getElementById('app')!)
