import { render } from 'preact'
import { App } from './shell/App.js'
import './shell/appearance.js'
import './ui/base.css'
import { speak, usualLanguage } from './words/index.js'

await speak(usualLanguage())
render(<App />, document.getElementById('app')!)
