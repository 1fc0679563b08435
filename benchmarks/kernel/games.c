/* The kernel of stats/kernel.py, written by hand in C: what its speed is measured against.
 *
 * The same algorithm, bots and counters, and the same records in memory (GAME and COUNTS), so that the benchmark can
 * compare every counter. Built only by the benchmark: gcc -O3 -march=native -shared -fPIC.
 */
#include <stdint.h>

typedef int64_t i64;
typedef uint64_t u64;

enum { SEATS = 6, CARDS = 30, STAKES = 32, LAST = STAKES, TOTALS = 192, ROUNDS = 10 };
enum { RANDOM, COIN_FLIP, TO_SIX, SPREAD, PACER, COUNTER };

typedef struct {
    i64 pad[16];
    i64 players, deck, dealt, table_size, all_rounds, money, opener, bots[SEATS], refund[STAKES], worth[CARDS];
    u64 rng, word;
    i64 first, price, houses, cheques, unseen_houses, unseen_cheques;
    i64 notes[SEATS], stake[SEATS], hand[SEATS], cash[SEATS], expected, guess[SEATS], slope[SEATS];
    i64 active, left, size, at, misses[SEATS][4]; /* the planner's, not used here */
    uint8_t house_pile[CARDS], cheque_pile[CARDS], owner[CARDS], taken[CARDS], fetched[CARDS];
    i64 rounds;
    uint8_t spread[ROUNDS], paid[ROUNDS];
    i64 empty;
    uint8_t empty_stake[ROUNDS];
    i64 scooped;
    i64 pad_end[16];
} Game;

typedef struct {
    i64 games, total[SEATS][TOTALS], winning_total[TOTALS], margin[TOTALS], banknotes[SEATS][STAKES];
    i64 rank[SEATS][SEATS], win[SEATS][SEATS], position_win[SEATS][SEATS], decided_by[3];
    i64 tie[SEATS][SEATS][SEATS + 1], position_tie[SEATS][SEATS][SEATS + 1];
    i64 game_total[2 * TOTALS], game_banknotes[96], game_cheques[256], seat_cheques[TOTALS], seat_houses[16];
    i64 taken[CARDS][2 * STAKES], fetched[CARDS][STAKES], spread[CARDS][STAKES], empty[STAKES], scoop[16];
} Counts;

/* --- bits and random numbers */

static inline u64 mix(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static const u64 GOLDEN = 0x9E3779B97F4A7C15u;

static inline u64 draw(Game *g) { /* the word was made one call ago: no decision waits for it */
    u64 word = g->word;
    g->word = mix(g->rng += GOLDEN);
    return word;
}
static inline i64 below(Game *g, i64 n) { return (i64)(((draw(g) >> 32) * (u64)n) >> 32); }
static inline i64 lowest(i64 mask) { return __builtin_ctzll((u64)mask); }
static inline i64 highest(i64 mask) { return 63 - __builtin_clzll((u64)mask); }
static inline i64 min(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 max(i64 a, i64 b) { return a > b ? a : b; }

#ifdef __BMI2__
#include <immintrin.h>
static inline i64 select_bit(i64 mask, i64 r) { return lowest((i64)_pdep_u64((u64)1 << r, (u64)mask)); }
#else
static inline i64 select_bit(i64 mask, i64 r) {
    while (r-- > 0) mask &= mask - 1;
    return lowest(mask);
}
#endif

static unsigned char NEXT[1 << SEATS][8]; /* [seats still bidding][seat]: who is next, clockwise */

__attribute__((constructor)) static void fill_next(void) {
    for (int active = 1; active < 1 << SEATS; active++)
        for (int seat = 0; seat < SEATS; seat++) {
            int next = seat;
            do next = (next + 1) % SEATS;
            while (!(active >> next & 1));
            NEXT[active][seat] = (unsigned char)next;
        }
}

/* --- bots */

static inline i64 count(i64 mask) { return __builtin_popcountll((u64)mask); }
static inline i64 gain(Game *g, i64 houseless) {
    return g->worth[highest(g->houses)] - (houseless ? 0 : g->worth[lowest(g->houses)]);
}
static inline i64 raise_within(Game *g, i64 seat, i64 most, i64 share, i64 parts) {
    i64 risk = g->price + 1 - (g->stake[seat] >> 1);
    return g->price < g->notes[seat] && risk <= most && risk * parts <= share ? g->price + 1 : 0;
}

static inline i64 bid(Game *g, i64 seat, i64 houseless) {
    i64 price = g->price, notes = g->notes[seat], room = notes - price, choice, now, later, number, size = g->table_size;
    switch (g->bots[seat]) {
    case RANDOM:
        if (room < 1) return 0;
        choice = below(g, min(room, 3) + 1);
        return choice > 0 ? price + choice : 0;
    case COIN_FLIP:
        if (room < 1) return 0;
        choice = below(g, 4);
        return choice < 2 ? 0 : price + min(room, choice - 1);
    case TO_SIX:
        return price < min(6, notes) ? price + 1 : 0;
    case SPREAD:
        choice = highest(g->houses) - (houseless ? -1 : lowest(g->houses));
        return price < notes && (price + 1) * 8 * g->all_rounds <= choice * g->money ? price + 1 : 0;
    case PACER:
        now = gain(g, houseless), later = 8 * (g->all_rounds - g->rounds - 1);
        return raise_within(g, seat, now, 13 * notes * now, 8 * (now + later));
    default:
        now = gain(g, houseless), later = 0, number = count(g->unseen_houses);
        if (g->rounds + 1 < g->all_rounds) {
            later = g->worth[select_bit(g->unseen_houses, number * size / (size + 1))] -
                    g->worth[select_bit(g->unseen_houses, number / (size + 1))];
            later *= g->all_rounds - g->rounds - 1;
        }
        return raise_within(g, seat, now, 11 * size * notes * now, 4 * (size + 3) * (now + later));
    }
}

static inline i64 at_range(Game *g, i64 size) {
    i64 range = 3 * g->worth[highest(g->cheques)] - 2 * g->worth[lowest(g->cheques)] - 8;
    return max(0, min(size - 1, size * range / 42));
}

static inline void expect_offers(Game *g) {
    g->expected = 1;
    for (i64 s = 0; s < g->players; s++) {
        i64 size = count(g->hand[s]);
        g->guess[s] = size ? 2 * at_range(g, size) + 1 : 1 << 10;
        g->slope[s] = 512 / max(1, size);
    }
}

static inline i64 sell_counter(Game *g, i64 seat) {
    i64 n = g->players, others = 0, last = count(g->cheques) - 1, left = count(g->unseen_cheques);
    i64 choice = 0, best = -(1 << 20);
    if (!g->expected) expect_offers(g);
    for (i64 s = 0; s < n; s++) others |= g->hand[s];
    i64 number = count(others);
    for (i64 hand = g->hand[seat]; hand; hand &= hand - 1) {
        i64 house = lowest(hand), lower = ((i64)1 << house) - 1, place = 0;
        for (i64 s = 0; s < n; s++) {
            if (s == seat) continue;
            i64 ahead = 2 * count(g->hand[s] & lower) - g->guess[s];
            place += max(0, min(256, 128 + ahead * g->slope[s]));
        }
        i64 worse = g->worth[select_bit(g->cheques, place >> 8)];
        i64 better = g->worth[select_bit(g->cheques, min(last, (place >> 8) + 1))];
        i64 value = 3 * (256 * worse + (better - worse) * (place & 255));
        if (left) value -= 512 * g->worth[select_bit(g->unseen_cheques, count(others & lower) * left / number)];
        if (value > best) best = value, choice = house;
    }
    return choice;
}

static inline i64 sell(Game *g, i64 seat) {
    i64 hand = g->hand[seat], size = count(hand);
    switch (g->bots[seat]) {
    case SPREAD:
        return select_bit(hand, min(size - 1, size * (g->worth[highest(g->cheques)] - g->worth[lowest(g->cheques)]) / 16));
    case PACER:
        return select_bit(hand, at_range(g, size));
    case COUNTER:
        return sell_counter(g, seat);
    default:
        return select_bit(hand, below(g, size));
    }
}

/* --- the rules */

static inline void deal(Game *g) {
    for (i64 k = 0; k < g->deck; k++) {
        u64 word = draw(g);
        i64 place = (i64)(((word >> 32) * (u64)(k + 1)) >> 32);
        g->house_pile[k] = g->house_pile[place];
        g->house_pile[place] = (uint8_t)k;
        place = (i64)(((word & 0xFFFFFFFFu) * (u64)(k + 1)) >> 32);
        g->cheque_pile[k] = g->cheque_pile[place];
        g->cheque_pile[place] = (uint8_t)k;
    }
    g->first = g->opener >= 0 ? g->opener : below(g, g->players);
    for (i64 s = 0; s < g->players; s++) {
        g->notes[s] = g->money;
        g->hand[s] = g->cash[s] = 0;
    }
    g->unseen_houses = g->unseen_cheques = ((i64)1 << g->deck) - 1;
    g->rounds = g->empty = g->scooped = 0;
}

static inline void take(Game *g, i64 seat, i64 how) {
    i64 house = lowest(g->houses);
    g->houses &= g->houses - 1;
    g->hand[seat] |= (i64)1 << house;
    g->owner[house] = seat;
    g->taken[house] = how;
}

static inline i64 auction(Game *g, i64 seat, i64 size) {
    i64 n = g->players, left = n;
    u64 active = ((u64)1 << n) - 1;
    g->price = 0;
    for (i64 s = 0; s < n; s++) g->stake[s] = 0;
    while (left > 1) {
        i64 stake = bid(g, seat, left > size);
        if (stake > 0) {
            g->stake[seat] = g->price = stake;
        } else {
            stake = g->stake[seat];
            active ^= (u64)1 << seat;
            if (left > size) {
                g->empty_stake[g->empty++] = stake;
            } else {
                g->notes[seat] -= stake - g->refund[stake];
                take(g, seat, stake);
            }
            left--;
        }
        seat = NEXT[active][seat];
    }
    i64 stake = g->stake[seat];
    g->notes[seat] -= stake;
    g->paid[g->rounds] = stake;
    take(g, seat, stake + LAST);
    return seat;
}

static inline void auctions(Game *g) {
    i64 seat = g->first;
    for (i64 at = 0; at < g->dealt;) {
        i64 size = min(g->table_size, g->dealt - at), houses = 0;
        for (i64 end = at + size; at < end; at++) houses |= (i64)1 << g->house_pile[at];
        g->houses = houses;
        g->unseen_houses ^= houses;
        g->spread[g->rounds] = highest(houses) - lowest(houses);
        seat = auction(g, seat, size);
        g->rounds++;
    }
}

static inline void settle(Game *g, i64 offers) {
    i64 cheques = g->cheques;
    for (; offers; offers &= offers - 1, cheques &= cheques - 1) {
        i64 house = lowest(offers), worth = g->worth[lowest(cheques)], seat = g->owner[house];
        g->fetched[house] = worth;
        g->cash[seat] += worth;
        g->hand[seat] ^= (i64)1 << house;
    }
}

static inline void sales(Game *g) {
    i64 n = g->players;
    for (i64 at = 0; at < g->dealt;) {
        i64 sellers = 0, offers = 0, cheques = 0;
        for (i64 s = 0; s < n; s++) sellers += g->hand[s] != 0;
        i64 size = sellers > 1 ? sellers : g->dealt - at;
        for (i64 end = at + size; at < end; at++) cheques |= (i64)1 << g->cheque_pile[at];
        g->cheques = cheques;
        g->unseen_cheques ^= cheques;
        g->expected = 0;
        for (i64 s = 0; s < n; s++) {
            if (g->hand[s] == 0) continue;
            if (sellers == 1) {
                offers = g->hand[s];
                g->scooped = size;
            } else {
                offers |= (i64)1 << sell(g, s);
            }
        }
        settle(g, offers);
    }
}

/* --- counting */

static inline void tally(Game *g, Counts *c) {
    i64 n = g->players, notes = 0, cheques = 0, best = 0, leaders = 0, winners = 0, second = 0, key[SEATS];
    c->games++;
    for (i64 k = 0; k < g->dealt; k++) {
        i64 house = g->house_pile[k];
        c->taken[house][g->taken[house]]++;
        c->fetched[house][g->fetched[house]]++;
        g->hand[g->owner[house]]++;
    }
    for (i64 k = 0; k < g->rounds; k++) c->spread[g->spread[k]][g->paid[k]]++;
    for (i64 k = 0; k < g->empty; k++) c->empty[g->empty_stake[k]]++;
    c->scoop[g->scooped]++;
    for (i64 s = 0; s < n; s++) {
        key[s] = (g->cash[s] + g->notes[s]) * STAKES + g->notes[s];
        best = max(best, key[s]);
    }
    for (i64 s = 0; s < n; s++) {
        if (key[s] / STAKES == best / STAKES) {
            leaders++;
            winners += key[s] == best;
        } else {
            second = max(second, key[s] / STAKES);
        }
    }
    c->winning_total[best / STAKES]++;
    c->margin[leaders == 1 ? best / STAKES - second : 0]++;
    c->decided_by[leaders == 1 ? 0 : winners == 1 ? 1 : 2]++;
    for (i64 s = 0; s < n; s++) {
        i64 rank = 0;
        for (i64 other = 0; other < n; other++) rank += key[other] > key[s];
        c->rank[s][rank]++;
        if (rank == 0) {
            c->win[s][winners - 1]++;
            c->position_win[s - g->first + (s < g->first ? n : 0)][winners - 1]++;
        }
    }
    if (leaders > 1)
        for (i64 s = 0; s < n; s++) {
            if (key[s] / STAKES != best / STAKES) continue;
            i64 share = key[s] == best ? winners : 0;
            c->tie[s][leaders - 1][share]++;
            c->position_tie[s - g->first + (s < g->first ? n : 0)][leaders - 1][share]++;
        }
    for (i64 s = 0; s < n; s++) {
        c->total[s][g->cash[s] + g->notes[s]]++;
        c->banknotes[s][g->notes[s]]++;
        c->seat_cheques[g->cash[s]]++;
        c->seat_houses[g->hand[s]]++;
        notes += g->notes[s];
        cheques += g->cash[s];
    }
    c->game_total[notes + cheques]++;
    c->game_banknotes[notes]++;
    c->game_cheques[cheques]++;
}

void block(Game *restrict g, Counts *restrict c, u64 seed, i64 first, i64 number) {
    u64 start = mix(seed);
    for (i64 index = first; index < first + number; index++) {
        g->rng = mix(start + GOLDEN * (u64)(index + 1));
        draw(g);
        deal(g);
        auctions(g);
        sales(g);
        tally(g, c);
    }
}

i64 game_size(void) { return sizeof(Game); }
i64 counts_size(void) { return sizeof(Counts); }
