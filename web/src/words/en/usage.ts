export const usage = {
}
