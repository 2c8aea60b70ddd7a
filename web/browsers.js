/** The oldest browsers that the app is built for. Current ones are newer, and so are all that support modules in shared workers. */
export const browsers = ['chrome111', 'safari16.4', 'firefox114']
