package coordination

// The coordinator's side of sliced rounds. The workers exchange the results among themselves. The coordinator names the
// owners of the shares, gets the sum of the reports, and relays parts between workers that can't reach each other.

// seated reports whether all shares of a sliced round have an owner. Another round may begin without.
func (g *gatherings) seated() bool {
	if g.round == nil || !g.round.Sliced {
		return true
	}
	for _, s := range g.round.Shares {
		if o := g.partitions[s].owner; o == nil || !o.active {
			return false
		}
	}
	return true
}

// checkKept gives up a round that is to begin with kept sums, if a worker that had kept them is lost.
func (g *gatherings) checkKept() {
	if g.phase == mustering && g.round != nil && g.round.Kept && !g.kept {
		g.giveUpRound()
	}
}

// giveUpRound tells the driver that the round must be repeated.
func (g *gatherings) giveUpRound() {
	number := g.round.Round
	g.round, g.gathering = nil, nil
	g.enter(idle)
	g.do(RoundLost{number})
}

// ownersAgain names the owners of the places to a member whose link broke, and the member to the others. Parts that
// were to be relayed may be lost, and are sent again.
func (g *gatherings) ownersAgain(m *member) {
	of := g.gathering
	for place, s := range of.shares {
		o := g.partitions[s].owner
		if o == nil || !o.active {
			continue
		}
		if o != m {
			g.send(m.link, &Target{Gather: of.id, Position: uint32(place), Peer: o.Peer, Address: o.address})
			continue
		}
		for _, other := range g.members {
			if other != nil && other != m && other.active {
				g.send(other.link, &Target{Gather: of.id, Position: uint32(place), Peer: m.Peer, Address: m.address})
			}
		}
	}
}

// relaySlice passes a piece or a sum of a slice on to its receiver.
func (g *gatherings) relaySlice(p *Part) {
	if int(p.To.Worker) >= len(g.members) {
		return
	}
	if o := g.members[p.To.Worker]; o != nil && o.Peer == p.To {
		g.send(o.link, p)
	}
}
