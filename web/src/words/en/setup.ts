export const setup = {
}
