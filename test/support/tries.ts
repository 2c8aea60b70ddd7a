/** Returns how often a property is tried: `all` times in `npm run test:all` and if its file is named, otherwise a tenth of that. */
export const tries = (all: number): number => process.env.TEST_LONG === '1' ? all : Math.ceil(all / 10)
