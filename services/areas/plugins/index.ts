export { Plugins } from './plugins.js'
export { pluginToWire } from './wire.js'
