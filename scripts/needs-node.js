// Imported first by scripts that people start: ends with a sentence if Node is too old for the rest.
import { isNewEnough, neededNode } from './node-version.js'

if (!isNewEnough()) {
  console.error(`This needs Node.js ${neededNode.replace(/\.0$/, '')} or newer, but was started with ${process.versions.node}. ` +
    'Run npm ci with this Node, which brings a newer one for npm\'s scripts, or install one (https://nodejs.org).')
  process.exit(1)
}
