import { render } from 'preact'
import { startOffline } from './offline/start.js'
import { App } from './shell/App.js'
import './shell/appearance.js'
import './ui/base.css'
import { speak, usualLanguage } from './words/index.js'

startOffline()
await speak(usualLanguage())
render(<App />, document.getElementById('app')!)
