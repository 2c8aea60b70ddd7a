// Exits with a message if the program cannot run here. Every version of Node can read this file, however old.
'use strict'
const needed = require('../package.json').engines.node.replace('>=', '').split('.').map(Number)
const own = process.versions.node.split('.').map(Number)
let reason = null

if (process.platform === 'win32') {
  reason = 'Agent web service runs on Linux and macOS. On Windows, run it in WSL 2: wsl --install, then npm install --global agent-web-service in its terminal.'
} else if (own[0] < needed[0] || (own[0] === needed[0] && own[1] < needed[1])) {
  reason = 'Agent web service needs Node.js ' + needed[0] + '.' + needed[1] + ' or newer, but was started with ' + process.versions.node +
    '. Install a newer one (https://nodejs.org), or use the archive, which contains it.'
}
if (reason !== null) {
  console.error(reason)
  process.exit(1)
}
