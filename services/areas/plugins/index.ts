export { Plugins, type Plugin } from './plugins.js'
export { pluginToWire } from './wire.js'
