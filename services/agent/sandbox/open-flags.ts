/** Opens a handle to a path without access to its content, on Linux; Node.js has no constant for it. */
export const O_PATH = 0o10000000
